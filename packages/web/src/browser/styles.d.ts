/** esbuild collects imported style sheets in one file per view. */
declare module '*.css';
