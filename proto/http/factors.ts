import * as z from "zod";
import { instant, rowId, success } from "./envelope.ts";
import { nameOf } from "./text.ts";
import { user } from "./users.ts";

/** Who must have a second factor; with `off` it is optional. */
export const factorPolicies = ["off", "admins", "all"] as const;
export type FactorPolicy = (typeof factorPolicies)[number];

export const factorTypes = ["totp", "passkey"] as const;
export type FactorType = (typeof factorTypes)[number];
/** Ways to continue a login. `enroll`: a second factor is required but none is set up. */
export const factorMethods = ["totp", "recovery", "passkey", "enroll"] as const;
export type FactorMethod = (typeof factorMethods)[number];

export const maxPasskeys = 10;
export const recoveryCodeCount = 10;

const factorName = nameOf(100);
const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[A-Za-z0-9_-]*$/);

/** Options for the browser: the JSON of a `PublicKeyCredential…Options` (WebAuthn 3, §5.1). */
const passkeyOptions = z
  .record(z.string(), z.unknown())
  .meta({ description: "For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`." });

// Browsers add fields to both; they are dropped.
const credential = { id: base64url(1400), rawId: base64url(1400), type: z.literal("public-key") };
/** The browser's JSON response: the passkey and its signature. */
export const passkeyProof = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8192),
    authenticatorData: base64url(8192),
    signature: base64url(8192),
    userHandle: base64url(128).nullish(),
  }),
});
export type PasskeyProof = z.infer<typeof passkeyProof>;
/** The browser's JSON response for a new passkey. */
export const madePasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8192),
    attestationObject: base64url(65_536),
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
});
export type MadePasskey = z.infer<typeof madePasskey>;

const ticket = z.string().min(1).max(100);
const code = z
  .string()
  .regex(/^\d{3} ?\d{3}$/, "The code must have 6 digits")
  .meta({ examples: ["123456"] });

/** Returned instead of a token if the password is correct but a second factor is required. */
export const factorDemand = z.object({
  ticket: z.string().meta({ description: "Single-use ticket for `POST /api/auth/factor`." }),
  methods: z.array(z.enum(factorMethods)),
  expiresAt: instant,
  passkey: passkeyOptions.optional(),
});
export type FactorDemand = z.infer<typeof factorDemand>;

export const factorInput = z
  .strictObject({
    ticket,
    code: code.optional(),
    recoveryCode: z.string().min(1).max(64).optional(),
    passkey: passkeyProof.optional(),
    newPasskey: madePasskey.optional().meta({ description: "For tickets with the method `enroll`." }),
    name: factorName.optional().meta({ description: "Name of a new passkey." }),
  })
  .refine(
    ({ code: totp, recoveryCode, passkey, newPasskey }) =>
      [totp, recoveryCode, passkey, newPasskey].filter((given) => given !== undefined).length === 1,
    { message: "Provide one of code, recoveryCode or passkey", path: ["code"] },
  );
export type FactorInput = z.infer<typeof factorInput>;

const recoveryCodes = z.array(z.string()).meta({ description: "Shown only once; each code works once." });
export const factorAnswer = success({
  token: z.string(),
  user,
  recoveryCodes: recoveryCodes.optional().meta({ description: "Returned with the first factor." }),
});

export const passkeyAnswer = success({ ticket: z.string(), expiresAt: instant, passkey: passkeyOptions });

/** A factor being added: data for the app or browser, and the ticket to complete it. */
export const begunFactor = z.object({
  ticket: z.string(),
  expiresAt: instant,
  totp: z.object({ secret: z.string(), uri: z.string().meta({ description: "URI for the QR code." }) }).optional(),
  passkey: passkeyOptions.optional(),
});
export type BegunFactor = z.infer<typeof begunFactor>;

export const enrollInput = z.strictObject({ ticket, type: z.enum(factorTypes) });
export const enrollAnswer = success(begunFactor.shape);

export const factor = z.object({
  id: rowId,
  type: z.enum(factorTypes),
  name: z.string(),
  createdAt: instant,
  lastUsedAt: instant.optional(),
});
export type Factor = z.infer<typeof factor>;

export const factorsAnswer = success({
  factors: z.array(factor),
  recoveryCodes: z.int().meta({ description: "Number of unused recovery codes." }),
  demanded: z.boolean().meta({ description: "True if the last factor cannot be removed." }),
  possible: z.array(z.enum(factorTypes)).meta({ description: "Factors that can be added now." }),
  hasPassword: z
    .boolean()
    .optional()
    .meta({ description: "False for accounts that can only sign in with a provider." }),
});

const password = z
  .string()
  .max(1024)
  .optional()
  .meta({ description: "Required unless the password was entered within the last 5 minutes." });
export const passwordAgain = z.strictObject({ password });
/** Without a ticket: starts adding a factor or creates recovery codes. With a ticket: completes adding it. */
export const addFactorInput = z.strictObject({
  type: z.enum([...factorTypes, "recovery"]),
  password,
  ticket: ticket.optional(),
  code: code.optional(),
  passkey: madePasskey.optional(),
  name: factorName.optional(),
});
export type AddFactorInput = z.infer<typeof addFactorInput>;
export const addFactorAnswer = success({
  ...begunFactor.partial().shape,
  factor: factor.optional(),
  recoveryCodes: recoveryCodes.optional(),
});
