"""How many switches and links a fabric needs."""
