import { start } from "@sonde/gateway";
import { readConfig } from "@sonde/gateway/config";
import { runMain } from "@sonde/kit/service/lifecycle";

await runMain("gateway", () => start(readConfig()));
