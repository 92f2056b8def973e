"""The site: pages that are read without anything, and the engine in a browser tab."""
