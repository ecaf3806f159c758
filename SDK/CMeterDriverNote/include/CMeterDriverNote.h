/* Nothing to call: depending on this target puts the contract's ELF note into a bundle. */
