import * as z from "zod";

/** What a method takes and what it answers, as JSON. */
type Method = { input: z.ZodType; answer: z.ZodType };

/** The methods of a service that others may call over the bus. */
export type Contract<Methods extends Readonly<Record<string, Method>> = Readonly<Record<string, Method>>> = {
  /** The service's part of the subject: `rpc.<name>.<method>`. */
  readonly name: string;
  readonly methods: Methods;
};

export const contract = <Methods extends Readonly<Record<string, Method>>>(
  name: string,
  methods: Methods,
): Contract<Methods> => ({ name, methods });

/** For a method that takes or answers nothing. */
export const nothing = z.object({});
