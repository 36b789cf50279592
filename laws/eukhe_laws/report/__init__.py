"""What the engines found, for people and for machines."""
