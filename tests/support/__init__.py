"""What several groups of tests share: a running service, a small web site."""
