"""Requests to models by their names: the V2 inference protocol over REST and gRPC, before many model servers."""
