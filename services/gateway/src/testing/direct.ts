import { type Call, type Client, type Handlers, parseInput } from "@sonde/kit/bus/rpc";
import type { Contract } from "@sonde/proto/rpc/contract";

/** Both sides see what would travel as JSON, in the shapes of the contract. */
export function direct<S extends Contract>(service: S, inner: Handlers<S>): Client<S> {
  const methods = Object.entries(service.methods).map(([name, { input, answer }]) => {
    const ask = async (request: unknown, options?: { call?: Partial<Call> }) => {
      const call = { requestId: "none", timeoutMs: 1000, signal: AbortSignal.timeout(1000), ...options?.call };
      // Looked up at each call, because tests may replace it.
      const handle = inner[name as keyof typeof inner] as (request: unknown, call: Call) => Promise<unknown>;
      return parseInput(answer, overJson(await handle(parseInput(input, overJson(request)), call)));
    };
    return [name, ask] as const;
  });
  return Object.fromEntries(methods) as Client<S>;
}

const overJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
