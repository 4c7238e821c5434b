/** The part of the validator that the tests use. The package has no types. */
declare module '@openactive/rpde-validator' {
  export interface RpdeError {
    severity: 'failure' | 'warning' | 'notice' | 'suggestion';
    rule: string;
    message: string;
  }
  export interface RpdeLog {
    pages: { url: string; errors: RpdeError[] }[];
  }
  const validator: {
    /** Reads a feed page by page and checks it. @param options `pageLimit`: maximum number of pages */
    RpdeValidator(url: string, options?: { pageLimit?: number; timeoutMs?: number }): Promise<RpdeLog>;
  };
  export default validator;
}
