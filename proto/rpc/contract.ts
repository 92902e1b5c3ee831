import * as z from "zod";

/** JSON input and response of a method. */
type Method = { input: z.ZodType; answer: z.ZodType };

/** Methods of a service that can be called over the bus. */
export type Contract<Methods extends Readonly<Record<string, Method>> = Readonly<Record<string, Method>>> = {
  /** Service name in the subject: `rpc.<name>.<method>`. */
  readonly name: string;
  readonly methods: Methods;
};

export const contract = <Methods extends Readonly<Record<string, Method>>>(
  name: string,
  methods: Methods,
): Contract<Methods> => ({ name, methods });

/** Empty input or response. */
export const nothing = z.object({});
