/**
 * The environment variable with which a JVM reads paths as UTF-8. Without a locale, it would not find files
 * below a folder such as "José".
 */
export const UTF8_PATHS = { LC_ALL: 'C.UTF-8' } as const;
