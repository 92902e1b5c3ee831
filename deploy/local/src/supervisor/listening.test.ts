import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { checkAddress, localAddress } from "./listening.ts";

it("says which port is in use and what to do", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  await expect(checkAddress("127.0.0.1", port)).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use`);

  server.close();
  await once(server, "close");
  await expect(checkAddress("127.0.0.1", port)).resolves.toBeUndefined();
});

it("says that an address is not this machine's", async () => {
  await expect(checkAddress("192.0.2.1", 8080)).rejects.toThrow("HOST 192.0.2.1 is not an address of this machine");
});

it("prints an address that a browser on this machine can open", () => {
  expect(localAddress("127.0.0.1", 8080)).toBe("http://127.0.0.1:8080");
  expect(localAddress("0.0.0.0", 80)).toBe("http://127.0.0.1:80");
  expect(localAddress("::1", 8080)).toBe("http://[::1]:8080");
});
