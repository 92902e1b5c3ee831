import {
  type TemplateInput,
  templateVariables,
  type TemplateVariable,
} from "@sonde/proto/http/notifications/templates";
import { type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useCombobox } from "../../../ui/menu/combobox.tsx";
import { cx } from "../../../ui/cx.ts";
import { controlClass, Field } from "../../../ui/field.tsx";

export type TextField = HTMLInputElement | HTMLTextAreaElement;

type VariableFieldProps = {
  name: "subject" | "content";
  label: string;
  hint?: ReactNode;
  /** Number of lines of a textarea. Without it, a single-line input. */
  rows?: number;
  /** For buttons that insert into the most recently focused field. */
  onFocus: (field: TextField) => void;
};

/** Completes variables: `{{` opens the list, arrow keys select, Enter or Tab inserts, Escape closes. */
export function VariableField({ name, label, hint, rows, onFocus }: VariableFieldProps) {
  const { t } = useTranslation();
  const element = useRef<TextField>(null);
  const { field, fieldState } = useController<TemplateInput, "subject" | "content">({ name });
  const [completion, setCompletion] = useState<CompletionRange | null>(null);
  const box = useCombobox({
    options: completion?.options ?? [],
    keyOf: (option) => option,
    pickKeys: ["Enter", "Tab"],
    onPick: pick,
    onClose: completion === null ? undefined : () => setCompletion(null),
  });

  function look(target: TextField) {
    setCompletion(completionAt(target.value, target.selectionStart ?? target.value.length));
    box.reset();
  }
  function pick(option: TemplateVariable) {
    if (completion === null) return;
    const next = insertVariable(field.value, option, completion);
    // Rendered synchronously, so that the next key finds the cursor at its new position.
    flushSync(() => {
      field.onChange(next.text);
      setCompletion(null);
    });
    placeCursor(element.current, next.cursor);
  }

  const control = {
    ...box.field,
    name,
    value: field.value,
    "aria-required": true,
    "aria-controls": completion === null ? undefined : box.listId,
    onFocus: ({ currentTarget }: { currentTarget: TextField }) => onFocus(currentTarget),
    onBlur: () => {
      setCompletion(null);
      field.onBlur();
    },
    onClick: ({ currentTarget }: { currentTarget: TextField }) => look(currentTarget),
    onChange: (event: { target: TextField }) => {
      field.onChange(event.target.value);
      look(event.target);
    },
    ref: (input: TextField | null) => {
      element.current = input;
      field.ref(input);
    },
  } as const;

  return (
    <Field label={label} hint={hint} error={fieldState.error?.message} required>
      {(ids) => (
        <div className="relative">
          {rows === undefined ? (
            <input {...ids} {...control} className={cx(controlClass.line, "font-mono text-[13px]")} />
          ) : (
            <textarea {...ids} {...control} rows={rows} className={cx(controlClass.area, "font-mono text-[13px]")} />
          )}
          {completion !== null && (
            <div
              id={box.listId}
              role="listbox"
              aria-label={t("templates.suggestions")}
              className="fade-in absolute inset-x-0 top-full z-20 mt-1 max-h-60 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lifted"
            >
              {completion.options.map((option) => (
                <div
                  key={option}
                  {...box.propsOf(option)}
                  className={cx(
                    "flex min-h-8 cursor-pointer items-center gap-3 rounded-sm px-2 select-none hover:bg-sunken",
                    option === box.active && "bg-accent-soft text-accent-strong",
                  )}
                >
                  <span className="font-mono text-[13px]">{option}</span>
                  <span className={cx("min-w-0 truncate text-[13px]", option !== box.active && "text-muted")}>
                    {t(`templates.variable.${option}`)}
                  </span>
                </div>
              ))}
            </div>
          )}
          <p role="status" className="sr-only">
            {completion !== null && t("templates.suggested", { count: completion.options.length })}
          </p>
        </div>
      )}
    </Field>
  );
}

/** Sets the cursor. Call after the new text is rendered. */
export function placeCursor(element: TextField | null, cursor: number): void {
  element?.focus();
  element?.setSelectionRange(cursor, cursor);
}

/** A partly typed variable, from its opening braces to the cursor. */
type CompletionRange = { from: number; to: number; options: TemplateVariable[] };

/** Returns the completions at the cursor, or `null` if it is not after `{{` and the start of a name. */
export function completionAt(text: string, cursor: number): CompletionRange | null {
  const [whole, part = ""] = /\{\{\s*([A-Za-z]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (whole === undefined) return null;
  const options = templateVariables.filter((name) => name.toLowerCase().startsWith(part.toLowerCase()));
  return options.length === 0 ? null : { from: cursor - whole.length, to: cursor, options };
}

/** Replaces a range with a variable. Existing closing braces are not doubled. */
export function insertVariable(
  text: string,
  name: TemplateVariable,
  { from, to }: Pick<CompletionRange, "from" | "to">,
): { text: string; cursor: number } {
  const [closed = ""] = /^[A-Za-z]*\s*\}\}/.exec(text.slice(to)) ?? [];
  const inserted = `{{${name}}}`;
  return { text: text.slice(0, from) + inserted + text.slice(to + closed.length), cursor: from + inserted.length };
}
