"""The bridge: generated scenarios through spec and core, transcripts compared byte for byte."""
