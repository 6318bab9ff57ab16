import { langOf } from '../words/language';

export interface SaidProps {
  children: string;
  className?: string;
  as?: 'p' | 'h2' | 'h3' | 'h4' | 'h1';
}

/** What an agent or a person said: only ever text, in the typography of its own script. */
export function Said({ children, className = '', as: Tag = 'p' }: SaidProps) {
  return (
    <Tag lang={langOf(children)} className={`said ${className}`}>
      {children}
    </Tag>
  );
}
