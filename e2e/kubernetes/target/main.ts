/**
 * Entry point of the image `sonde/target`, the target of monitors in a cluster, which records its requests. Serves
 * checks on PORT (8080) and its control interface on CONTROL_PORT (8081). Imports only Node modules and files of this
 * folder.
 */
import { createServer } from "node:net";
import { createAnswering } from "@sonde/testing/recording-target/answering";
import { createControl } from "./control.ts";

const { PORT = "8080", CONTROL_PORT = "8081", HOST = "0.0.0.0" } = process.env;
const answering = createAnswering();
const checks = createServer(answering.serve).listen({ port: Number(PORT), host: HOST, backlog: 4096 });
const control = createControl(answering).listen(Number(CONTROL_PORT), HOST);
process.once("SIGTERM", () => {
  checks.close();
  control.closeAllConnections();
  control.close(() => process.exit(0));
});
