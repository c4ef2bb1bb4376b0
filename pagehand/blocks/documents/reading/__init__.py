"""What document blocks share: opening files and reading their structure."""
