"""What a network does to a collective: algorithms, transports, congestion."""
