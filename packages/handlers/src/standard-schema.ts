/** A schema of any library that follows Standard Schema (https://standardschema.dev): Zod, Valibot, ArkType and more. */
export interface StandardSchema<P> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    /** Never there at run time: by it the compiler knows the payload. */
    readonly types?: { readonly input: P } | undefined;
  };
}

interface StandardResult {
  /** Absent: the value is fine. */
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
