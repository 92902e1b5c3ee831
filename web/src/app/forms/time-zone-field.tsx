import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { type FieldPath, type FieldValues, useController } from "react-hook-form";
import { zonesWith } from "../../lib/zone-time.ts";
import { Field, Lockable } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";

type TimeZoneFieldProps<Values extends FieldValues> = {
  name: FieldPath<Values>;
  label: ReactNode;
  hint?: ReactNode;
  className?: string;
};

export function TimeZoneField<Values extends FieldValues>({ name, className, ...rest }: TimeZoneFieldProps<Values>) {
  const { field, fieldState } = useController<Values>({ name });
  return (
    <Lockable name={name} className={className}>
      <Field {...rest} error={fieldState.error?.message}>
        {(ids) => (
          <TimeZoneInput {...ids} ref={field.ref} zone={field.value} onZone={field.onChange} onBlur={field.onBlur} />
        )}
      </Field>
    </Lockable>
  );
}

type TimeZoneInputProps = ComponentProps<typeof Input> & { zone: string; onZone: (zone: string) => void };

/** A searchable time zone. The value is always a zone; other text is dropped when the field loses focus. */
export function TimeZoneInput({ zone, onZone, onBlur, ...rest }: TimeZoneInputProps) {
  const [text, setText] = useState<string | null>(null);
  const listId = useId();
  const zones = zonesWith(zone);
  return (
    <>
      <Input
        {...rest}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        value={text ?? zone}
        // Typing replaces the zone by a search.
        onFocus={({ target }) => target.select()}
        onChange={({ target: { value } }) => {
          setText(value);
          const typed = value.trim().toLowerCase();
          const known = zones.find((each) => each.toLowerCase() === typed);
          if (known !== undefined) onZone(known);
        }}
        onBlur={(event) => {
          setText(null);
          onBlur?.(event);
        }}
      />
      <datalist id={listId}>
        {zones.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}
