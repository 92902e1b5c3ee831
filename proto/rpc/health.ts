import * as z from "zod";
import { contract, nothing } from "./contract.ts";

/** Whether a service is ready; every service answers it under its own name as the scope. */
export const healthContract = contract("health", {
  check: {
    input: nothing,
    answer: z.object({ conditions: z.array(z.object({ name: z.string(), holds: z.boolean() })) }),
  },
});
