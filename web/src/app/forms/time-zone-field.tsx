import { type ReactNode, useId, useState } from "react";
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

/** A searchable time zone. The form's value is always a zone; other text is dropped when the field loses focus. */
export function TimeZoneField<Values extends FieldValues>({ name, className, ...rest }: TimeZoneFieldProps<Values>) {
  const { field, fieldState } = useController<Values>({ name });
  const [text, setText] = useState<string | null>(null);
  const listId = useId();
  const zone = field.value as string;
  const zones = zonesWith(zone);
  return (
    <Lockable name={name} className={className}>
      <Field {...rest} error={fieldState.error?.message}>
        {(ids) => (
          <>
            <Input
              {...ids}
              ref={field.ref}
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
                if (known !== undefined) field.onChange(known);
              }}
              onBlur={() => {
                setText(null);
                field.onBlur();
              }}
            />
            <datalist id={listId}>
              {zones.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </Lockable>
  );
}
