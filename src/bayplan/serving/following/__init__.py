"""Serving over time: events in, bookings kept, actions out."""
