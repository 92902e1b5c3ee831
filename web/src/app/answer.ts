import type { z } from "zod";

/**
 * What a successful answer holds, as its schema in `proto/http` describes it. A type alone: zod itself would cost the
 * first page a tenth of its budget.
 */
export type AnswerOf<Schema extends z.ZodType<{ success: true }>> = Omit<z.output<Schema>, "success">;

/** The parameters of a list's query, as its schema in `proto/http` describes them; each may be left out. */
export type QueryOf<Schema extends z.ZodType> = Partial<z.output<Schema>>;
