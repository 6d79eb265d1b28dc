"""What happened, as plain data, and the rules about it. Standard library only."""
