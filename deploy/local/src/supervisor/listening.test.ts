import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { addressesOf, checkAddress, localAddress } from "./listening.ts";

it("reports which port is in use and what to do", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  await expect(checkAddress("127.0.0.1", port)).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);

  server.close();
  await once(server, "close");
  await expect(checkAddress("127.0.0.1", port)).resolves.toBeUndefined();
});

it("reports that an address is not this machine's", async () => {
  await expect(checkAddress("192.0.2.1", 8080)).rejects.toThrow("HOST 192.0.2.1 is not an address of this machine");
});

it("returns an address that a browser on this machine can open", () => {
  expect(localAddress("127.0.0.1", 8080)).toBe("http://127.0.0.1:8080");
  expect(localAddress("0.0.0.0", 80)).toBe("http://127.0.0.1:80");
  expect(localAddress("::1", 8080)).toBe("http://[::1]:8080");
});

it("returns all addresses that other machines can open, or only PUBLIC_URL if set", () => {
  const own = { netmask: "", mac: "", cidr: null, internal: false };
  const interfaces = () => ({
    lo: [{ ...own, internal: true, family: "IPv4" as const, address: "127.0.0.1" }],
    eth0: [
      { ...own, family: "IPv4" as const, address: "192.0.2.7" },
      { ...own, family: "IPv6" as const, scopeid: 0, address: "2001:db8::7" },
      { ...own, family: "IPv6" as const, scopeid: 2, address: "fe80::7" },
    ],
  });
  const local = "http://127.0.0.1:80";
  const shown = (HOST: string, PUBLIC_URL?: string) => addressesOf({ HOST, PORT: 80, PUBLIC_URL }, interfaces);
  expect(shown("127.0.0.1")).toEqual([local]);
  expect(shown("192.0.2.7")).toEqual(["http://192.0.2.7:80"]);
  expect(shown("0.0.0.0")).toEqual(["http://192.0.2.7:80", local]);
  expect(shown("::")).toEqual(["http://192.0.2.7:80", "http://[2001:db8::7]:80", local]);
  expect(shown("::", "https://sonde.example.com/")).toEqual(["https://sonde.example.com", local]);
  expect(shown("127.0.0.1", local)).toEqual([local]);
});
