/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[] | undefined;
  enum?: unknown[];
  [keyword: string]: unknown;
}

export interface Header {
  description: string;
  required: boolean;
  schema: JsonSchema;
}

/** A response object of OpenAPI, or a reference to one. */
export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, Header>;
  content?: Record<string, { schema?: JsonSchema; examples?: object }>;
}

export interface Operation {
  operationId: string;
  responses: Record<string, Response>;
  [field: string]: unknown;
}

/** An OpenAPI 3.1 document. Only the fields that our own code reads are typed. */
export interface OpenApiDocument {
  openapi: string;
  info: { description: string; [field: string]: unknown };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Response>; securitySchemes: object };
  [field: string]: unknown;
}
