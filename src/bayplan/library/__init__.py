"""The functions of `import bayplan`: plain dicts in, the JSON documents out. The commands call them too."""
