import { langOf } from '../messages/language';

export interface QuotedTextProps {
  children: string;
  className?: string;
  as?: 'p' | 'h2' | 'h3' | 'h4' | 'h1';
}

/** What an agent or a person said: only ever text, in the typography of its own script. */
export function QuotedText({ children, className = '', as: Tag = 'p' }: QuotedTextProps) {
  return (
    <Tag lang={langOf(children)} className={`quoted ${className}`}>
      {children}
    </Tag>
  );
}
