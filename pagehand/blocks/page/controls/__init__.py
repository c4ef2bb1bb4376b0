"""What several page blocks share: finding, typing, choosing, reading."""
