import {ExactNumber, type Json} from '../../narrow.ts';
import {escapedYaml, isPrintable} from '../../sanitize/harmful.ts';

/** YAML that cannot control a terminal; it parses to the same value. The package is loaded only here. */
export async function safeYaml(value: Json): Promise<string> {
  const {Document, Scalar, visit} = await import('yaml');
  const exact = {
    tag: 'tag:yaml.org,2002:float',
    identify: (item: unknown) => item instanceof ExactNumber,
    default: true,
    resolve: Number,
    stringify: (item: {value?: unknown}) => String(item.value),
  } as const;
  const document = new Document(value, {customTags: (tags) => [exact, ...tags]});
  visit(document, {
    Scalar: (_, scalar) => {
      // Only double-quoted text may contain escape sequences.
      if (typeof scalar.value === 'string' && !isPrintable(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapedYaml(
    document.toString({lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER}),
  );
}
