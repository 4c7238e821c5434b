/**
 * The environment variable that makes a JVM read paths as UTF-8. If no locale is set, a JVM cannot find files
 * below a folder such as "José".
 */
export const UTF8_PATHS = { LC_ALL: 'C.UTF-8' } as const;
