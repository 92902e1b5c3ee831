import { expect, test } from "vitest";
import { installLine, installScript } from "./install-script.ts";

const input = {
  origin: "https://sonde.example.com",
  token: "tok_abc",
  intervalSeconds: 15,
  scriptSha256: "0f".repeat(32),
};

test("the line is one line, and the token stands before the shell that runs the script, never behind it", () => {
  for (const origin of [input.origin, "http://127.0.0.1:8080", "http://10.0.0.1:8080"])
    for (const withoutService of [true, false]) {
      const line = installLine({ ...input, origin, withoutService });
      expect(line).not.toContain("\n");
      expect(line).toContain(`'${origin}/install.sh'`);
      expect(line).toMatch(/ SONDE_AGENT_TOKEN='tok_abc' sh (?:-s --|sonde-install\.sh) --server /);
      expect(line.match(/tok_abc/g)).toHaveLength(1);
      expect(line).toMatch(withoutService ? /--interval 15 --no-service$/ : /--interval 15$/);
    }
});

test("over https nothing is taken by another protocol; plain HTTP beyond this machine is said, and the script's sum verified", () => {
  expect(installLine(input)).toMatch(/^curl --proto '=https' -fsSL 'https:/);
  const plain = installLine({ ...input, origin: "http://10.0.0.1:8080" });
  expect(plain).toContain(`echo '${input.scriptSha256}  sonde-install.sh' | sha256sum -c - && SONDE_AGENT_TOKEN=`);
  expect(plain).toContain("--allow-http");
  expect(installLine({ ...input, origin: "http://127.0.0.1:8080" })).not.toMatch(/--allow-http|sha256sum/);
});

test("the script holds no token, takes the archives from the server or from where they are configured, and runs only when it is whole", () => {
  const own = installScript({ downloadUrl: null, downloadKey: null });
  expect(own).toContain("url=$server/downloads");
  expect(own).not.toContain("openssl");
  expect(own).toMatch(/\nmain "\$@"\n$/);
  const elsewhere = installScript({ downloadUrl: "https://files.example/it's", downloadKey: "A".repeat(124) });
  expect(elsewhere).toContain(`url='https://files.example/it'\\''s'`);
  expect(elsewhere.indexOf("openssl dgst -sha256 -verify")).toBeLessThan(elsewhere.indexOf("sha256sum -c -"));
  expect(elsewhere.indexOf("sha256sum -c -")).toBeLessThan(elsewhere.indexOf("tar -xJf"));
});
