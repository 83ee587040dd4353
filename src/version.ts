/** The package's version, as it introduces itself to agents and editors. */
export const VERSION = '0.1.0'
