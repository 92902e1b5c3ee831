import * as z from "zod";

type Json = { [key: string]: unknown };

const id = z.union([z.string(), z.int()]);
const answered = z.object({
  jsonrpc: z.literal("2.0"),
  id,
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
});
const refused = answered.omit({ result: true }).required({ error: true }).extend({ id: id.nullable() });

type Using = { schemaOf: (schema: z.ZodType, io: "output") => Json; envelope: Json };

export function describeMcp({ schemaOf, envelope }: Using): Json {
  const json = (schema: Json) => ({ "application/json": { schema } });
  const response = (description: string, schema: Json) => ({ description, content: json(schema) });
  const error = schemaOf(refused, "output");
  return {
    200: response("The answer to a request: a result, or an error of JSON-RPC", schemaOf(answered, "output")),
    202: { description: "The notification was accepted; the response has no body" },
    400: response("Not a JSON-RPC request, an unsupported version, or headers that differ from the body", error),
    403: response("The request comes from another site's page, or the tool needs a different scope or role", {
      anyOf: [error, envelope],
    }),
    404: response("There is no such method", error),
  };
}
