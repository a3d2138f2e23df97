"""What every issue code means, with a wrong and a right example that tests execute."""
