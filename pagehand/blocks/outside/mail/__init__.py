"""What the mail block is made of."""
