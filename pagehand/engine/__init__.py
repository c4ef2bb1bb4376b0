"""What happens to an execution, from acceptance to its one final state."""
