import * as z from "zod";
import { contract, nothing } from "./contract.ts";

/** Readiness, implemented by every service with its own name as scope. */
export const healthContract = contract("health", {
  check: {
    input: nothing,
    answer: z.object({ conditions: z.array(z.object({ name: z.string(), holds: z.boolean() })) }),
  },
});
