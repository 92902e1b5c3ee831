import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { startBind } from "@sonde/kit/testing/bind";
import { expect, test } from "vitest";
import * as messages from "../../testing/messages.ts";
import { start } from "../../testing/stand-ins/smtp.ts";
import { createEgress } from "@sonde/kit/egress/requests";
import { channel } from "../types/smtp.ts";

const zone = `$TTL 60
@     SOA    ns hostmaster 1 3600 600 86400 60
@     NS     ns
ns    A      127.0.0.1
mail  A      127.0.0.1
alias CNAME  text
text  TXT    "no address"
`;

test("a mail server whose name is an alias without an address is not treated as localhost", async () => {
  const bind = await startBind({ "zone.test": zone });
  const standIn = await start();
  const files = { hostsPath: "/nonexistent", resolvConfPath: "/nonexistent" };
  const resolver = createResolver({ servers: [bind.address], ipv6: false, ...files });
  const egress = createEgress({ resolver, guard: createGuard() });
  const message = messages.message();
  const sendTo = (host: string) => {
    const config = { ...standIn.config, host };
    const body = channel.compose(message, config, undefined);
    return channel.send({ body, config, key: message.key, atMs: 0, egress, signal: AbortSignal.timeout(20_000) });
  };
  try {
    expect(await sendTo("alias.zone.test")).toEqual({ outcome: "retry", answer: "alias.zone.test has no address" });
    expect(standIn.requests).toEqual([]);
    expect(await sendTo("mail.zone.test")).toMatchObject({ outcome: "delivered" });
  } finally {
    resolver.close();
    await standIn.stop();
    await bind.stop();
  }
});
