/** A schema of any library that follows Standard Schema (https://standardschema.dev): Zod, Valibot, ArkType and more. */
export interface StandardSchema<P> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    /** Converts the schema. Absent: its library cannot. */
    readonly jsonSchema?:
      | { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined;
    /** Never present at run time. The compiler reads the type of the payload from it. */
    readonly types?: { readonly input: P } | undefined;
  };
}

interface StandardResult {
  /** Absent: the value is valid. */
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
