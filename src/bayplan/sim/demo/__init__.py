"""The demo of `bayplan up --demo`: a simulated fleet, and examples of every dialect."""
