"""The same report as one file to hand round, and as a page to work with."""
