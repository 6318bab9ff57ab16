import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Client } from '../api/client';
import { ClientContext, makeCache } from '../api/context';
import { type Language, LanguageContext, preferred } from '../messages/language';

export interface MemsieveProviderProps {
  client: Client;
  /** The reader's language; the browser's where it is not given. */
  language?: Language;
  /** The theme; the system's where it is not given. */
  theme?: 'system' | 'light' | 'dark';
  /** A cache to share with the app around it. */
  queryClient?: QueryClient;
  children: ReactNode;
}

/** Where the parts of this package find their server, their language and their looks. */
export function MemsieveProvider({
  client,
  language = preferred(),
  theme = 'system',
  queryClient,
  children,
}: MemsieveProviderProps) {
  const [own] = useState(makeCache);
  return (
    <QueryClientProvider client={queryClient ?? own}>
      <ClientContext value={client}>
        <LanguageContext value={language}>
          <div className="memsieve" data-theme={theme} lang={language === 'zh' ? 'zh-Hans' : 'en'}>
            {children}
          </div>
        </LanguageContext>
      </ClientContext>
    </QueryClientProvider>
  );
}
