"""The report of a model as one file to share, and as a web page to work with."""
