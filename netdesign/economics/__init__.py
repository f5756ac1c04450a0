"""What a design costs: bill of materials, power, cost per token."""
