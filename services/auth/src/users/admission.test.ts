import { registrationModes } from "@sonde/proto/http/auth";
import { describe, expect, test } from "vitest";
import { refuseRegistration } from "./register.ts";

describe.each(registrationModes)("while registration is %s", (registration) => {
  test("the first account is an active admin", () => {
    const admin = { role: "admin", status: "active" };
    expect(refuseRegistration({ registration, setupCode: undefined }, { isFirst: true, codeMatches: false })).toEqual(
      admin,
    );
    expect(refuseRegistration({ registration, setupCode: "let me in" }, { isFirst: true, codeMatches: true })).toEqual(
      admin,
    );
  });

  test("the first account requires the setup code", () => {
    expect(refuseRegistration({ registration, setupCode: "let me in" }, { isFirst: true, codeMatches: false })).toEqual(
      {
        refusal: "The setup code is not correct",
      },
    );
  });

  test("later accounts gain nothing from the setup code", () => {
    const policy = { registration, setupCode: "let me in" };
    expect(refuseRegistration(policy, { isFirst: false, codeMatches: true })).toEqual(
      refuseRegistration(policy, { isFirst: false, codeMatches: false }),
    );
  });
});

test("later accounts are active, pending or refused", () => {
  const later = { isFirst: false, codeMatches: false };
  expect(refuseRegistration({ registration: "open", setupCode: undefined }, later)).toEqual({
    role: "user",
    status: "active",
  });
  expect(refuseRegistration({ registration: "approval", setupCode: undefined }, later)).toEqual({
    role: "user",
    status: "pending",
  });
  expect(refuseRegistration({ registration: "closed", setupCode: undefined }, later)).toEqual({
    refusal: "Registration is closed",
  });
});
