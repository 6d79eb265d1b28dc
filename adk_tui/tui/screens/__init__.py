"""The screens: main, and those that cover it for a while."""
