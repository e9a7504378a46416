"""What the world says: which endpoints there are, how busy their engines are, what their caches hold."""
