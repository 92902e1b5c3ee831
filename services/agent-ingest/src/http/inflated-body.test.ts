import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { reportBodies, reportBody } from "@sonde/kit/http/agent-bodies";
import { createBodyPool } from "@sonde/kit/http/body-pool";
import { readInflatedBody } from "./inflated-body.ts";

test("an aborted body is `unavailable`, not `invalid`, so the agent keeps its samples", async () => {
  const refused = Promise.withResolvers<unknown>();
  const reservation = createBodyPool(reportBodies).enter("agent");
  const server = createServer((request, response) => {
    readInflatedBody(request, response, reportBody, reservation).catch(refused.resolve);
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nx");
  expect(await refused.promise).toMatchObject({
    code: "unavailable",
    message: "The body did not arrive in time",
  });
  server.closeAllConnections();
  server.close();
});
