"""What may be reached: policy, HTTP, SMTP, and the proxy that browsers go through."""
