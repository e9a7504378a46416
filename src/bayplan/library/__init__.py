"""The functions of `import bayplan`: plain dicts in, JSON documents out; the command line and the API call them too."""
