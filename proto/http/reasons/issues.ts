import type { z } from "zod";
import type { MessageParams } from "../fill.ts";
import { isMessage, type Message } from "../messages.ts";

/** An input error: dotted path (`headers.0.value`; the field's own name for an unknown field) and message. */
export type FieldFault = { path: string; message: Message; params?: MessageParams };

const types: Record<string, Message> = {
  string: "Please enter text",
  number: "Please enter a number",
  int: "Please enter a whole number",
  boolean: "Please enter true or false",
  array: "Please enter a list",
  object: "Please enter fields and their values",
};

/** Converts zod issues to our messages; a schema's own message is kept if it is in `messages`. */
export function faultsOf(issues: readonly z.core.$ZodIssue[]): FieldFault[] {
  return issues.flatMap((issue) => faultsOfIssue(issue));
}

function faultsOfIssue(issue: z.core.$ZodIssue): FieldFault[] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: path === "" ? key : `${path}.${key}`, message: "Unknown field" }));
  }
  if (issue.code === "invalid_key") {
    return issue.issues.flatMap((inner) => faultsOfIssue({ ...inner, path: issue.path }));
  }
  const branch = issue.code === "invalid_union" ? closestBranch(issue.errors) : undefined;
  if (branch !== undefined) {
    return branch.flatMap((inner) => faultsOfIssue({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  if (isMessage(issue.message)) {
    return [{ path, message: issue.message, params: limitsOf(issue) }];
  }
  return [{ path, ...generic(issue) }];
}

type Branch = readonly z.core.$ZodIssue[];
/** Returns the union branch that the value was meant for: the only one of its type, or the first if none is. */
function closestBranch(branches: readonly Branch[]): Branch | undefined {
  const meant = branches.filter((found) => !isOfOtherType(found));
  return meant.length === 0 ? branches[0] : meant.length === 1 ? meant[0] : undefined;
}
const isOfOtherType = (found: Branch): boolean =>
  found.some(
    (issue) =>
      issue.path.length === 0 &&
      (issue.code === "invalid_type" ||
        (issue.code === "invalid_union" && issue.errors.length > 0 && issue.errors.every(isOfOtherType))),
  );

function limitsOf(issue: z.core.$ZodIssue): MessageParams {
  if (issue.code === "too_small") return { min: Number(issue.minimum) };
  if (issue.code === "too_big") return { max: Number(issue.maximum) };
  if (issue.code === "custom") return (issue.params ?? {}) as MessageParams;
  return {};
}

function generic(issue: z.core.$ZodIssue): { message: Message; params?: MessageParams } {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined && issue.message.includes("undefined"))
        return { message: "This field is required" };
      if (issue.expected === "object" && issue.path.length === 0) return { message: "The body must be a JSON object" };
      return { message: types[issue.expected] ?? "This value is not valid" };
    case "too_small":
      if (issue.origin === "string")
        return { message: "The text is too short (minimum {min} characters)", params: limitsOf(issue) };
      if (issue.origin === "array") return { message: "Too few entries (minimum {min})", params: limitsOf(issue) };
      return { message: "The number is too small (minimum {min})", params: limitsOf(issue) };
    case "too_big":
      if (issue.origin === "string")
        return { message: "The text is too long (maximum {max} characters)", params: limitsOf(issue) };
      if (issue.origin === "array") return { message: "Too many entries (maximum {max})", params: limitsOf(issue) };
      return { message: "The number is too large (maximum {max})", params: limitsOf(issue) };
    case "invalid_value":
      return chooseOf(issue.values);
    case "invalid_union":
      return issue.inclusive !== false && issue.options !== undefined
        ? chooseOf(issue.options)
        : { message: "This value is not valid" };
    default:
      return { message: "This value is not valid" };
  }
}

function chooseOf(values: readonly unknown[]): { message: Message; params: MessageParams } {
  const options = values.filter((value) => value !== undefined && value !== null).map(String);
  return { message: "Please choose one of: {options}", params: { options: options.join(", ") } };
}
