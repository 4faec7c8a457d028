r"""Formulas that everyone knows, for random expressions without any data.

Data only: common mathematics from school to first-year university, in LaTeX. Together they use every symbol
of the CROHME vocabulary.
"""

FORMULAS: tuple[str, ...] = tuple(
    line.strip()
    for line in r"""
    x^2 + y^2 = z^2
    a^2 + b^2 = c^2
    (a + b)^2 = a^2 + 2ab + b^2
    (a - b)^3 = a^3 - 3a^2b + 3ab^2 - b^3
    a^2 - b^2 = (a + b)(a - b)
    x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
    ax^2 + bx + c = 0
    x_{1} + x_{2} = -\frac{p}{2}
    y = mx + b
    y - y_1 = m(x - x_1)
    d = \sqrt{(x_2 - x_1)^2 + (y_2 - y_1)^2}
    \frac{1}{2} + \frac{1}{3} = \frac{5}{6}
    \frac{a}{b} \div \frac{c}{d} = \frac{ad}{bc}
    \frac{a}{b} \times \frac{c}{d}
    3 \times 4 = 12
    144 \div 12 = 12
    7 + 8 = 15
    100 - 37 = 63
    0.5 + 0.25 = 0.75
    3.14159
    1.618
    2, 4, 6, 8, \ldots
    1 + 2 + 3 + \cdots + n = \frac{n(n+1)}{2}
    1^2 + 2^2 + \cdots + n^2 = \frac{n(n+1)(2n+1)}{6}
    \sum_{i=1}^{n} i = \frac{n(n+1)}{2}
    \sum_{k=0}^{\infty} x^k = \frac{1}{1-x}
    \sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}
    \sum_{k=0}^{n} a_k x^k
    \sum_{i=1}^{m} \sum_{j=1}^{n} a_{ij}
    e^x = \sum_{n=0}^{\infty} \frac{x^n}{n!}
    n! = n(n-1)!
    5! = 120
    \frac{n!}{k!(n-k)!}
    \lim_{x \to 0} \frac{\sin x}{x} = 1
    \lim_{n \to \infty} (1 + \frac{1}{n})^n = e
    \lim_{x \to a} f(x) = L
    \lim_{h \to 0} \frac{f(x+h) - f(x)}{h}
    f'(x) = 2x
    f^{\prime}(x) = 3x^2
    g^{\prime}(t)
    \frac{dy}{dx} = ky
    \frac{d}{dx} x^n = nx^{n-1}
    \frac{d^2 y}{dx^2} + y = 0
    \int_{a}^{b} f(x) dx = F(b) - F(a)
    \int_{0}^{1} x^2 dx = \frac{1}{3}
    \int_{0}^{\infty} e^{-x} dx = 1
    \int \frac{1}{x} dx = \log x + C
    \int \cos x dx = \sin x + C
    \int_{-\infty}^{\infty} e^{-x^2} dx = \sqrt{\pi}
    \int_{0}^{2\pi} \sin^2 \theta d\theta = \pi
    \sin^2 x + \cos^2 x = 1
    \sin(\alpha + \beta) = \sin\alpha\cos\beta + \cos\alpha\sin\beta
    \cos 2\theta = 2\cos^2\theta - 1
    \cos(\alpha - \beta)
    \tan\theta = \frac{\sin\theta}{\cos\theta}
    1 + \tan^2 \theta = \frac{1}{\cos^2\theta}
    \tan(\frac{\pi}{4}) = 1
    \sin\frac{\pi}{6} = \frac{1}{2}
    \log(ab) = \log a + \log b
    \log_{2} 8 = 3
    \log_{a} x = \frac{\log x}{\log a}
    \log x^n = n \log x
    e^{i\pi} + 1 = 0
    e^{i\theta} = \cos\theta + i\sin\theta
    z = r e^{i\phi}
    |z| = \sqrt{a^2 + b^2}
    |x + y| \leq |x| + |y|
    |a b| = |a| |b|
    |x| < 1
    -1 \leq x \leq 1
    0 \leq t < 2\pi
    x > 0
    n \geq 1
    a \neq b
    x \neq 0
    \sqrt{2}
    \sqrt{x^2} = |x|
    \sqrt{ab} = \sqrt{a}\sqrt{b}
    \sqrt[3]{27} = 3
    \sqrt[n]{a^n} = a
    \sqrt[3]{x + \sqrt{y}}
    \sqrt{\frac{a}{b}} = \frac{\sqrt{a}}{\sqrt{b}}
    \frac{1}{\sqrt{2}}
    \frac{\sqrt{3}}{2}
    \frac{x + 1}{x - 1}
    \frac{1}{1 + \frac{1}{x}}
    \frac{a + b}{c + d}
    \frac{x^2 - 1}{x + 1} = x - 1
    \frac{x_1 + x_2 + \cdots + x_n}{n}
    x^{\frac{1}{2}} = \sqrt{x}
    2^{-n}
    a^{m+n} = a^m a^n
    (a^m)^n = a^{mn}
    2^{10} = 1024
    x_{n+1} = x_n - \frac{f(x_n)}{f^{\prime}(x_n)}
    a_{n} = a_{1} + (n-1)d
    S_n = \frac{a(1 - r^n)}{1 - r}
    F_{n+1} = F_n + F_{n-1}
    x_{i}^{2} + y_{i}^{2}
    a_{1}, a_{2}, \ldots, a_{n}
    \{a, b, c\}
    \{x \in R | x > 0\}
    A = \{1, 2, 3\}
    x \in [0, 1]
    [a, b]
    [x] + [y]
    ( x, y )
    (x_1, x_2, \ldots, x_n)
    f(x, y) = x^2 + y^2
    X \rightarrow Y
    A \rightarrow B
    x \rightarrow \infty
    \forall x \in R
    \forall n > 0
    \exists x \in X
    \exists y
    P(A | B) = \frac{P(B | A) P(A)}{P(B)}
    P(X = k)
    E[X] = \mu
    V = \frac{4}{3} \pi r^3
    A = \pi r^2
    C = 2 \pi r
    A = \frac{1}{2} b h
    V = l w h
    P = 2(l + w)
    E = m c^2
    F = m a
    F = G \frac{m_1 m_2}{r^2}
    v = \frac{\Delta x}{\Delta t}
    \Delta = b^2 - 4ac
    s = v t + \frac{1}{2} a t^2
    p V = n R T
    V = I R
    P = I^2 R
    H = T + V
    L = T - V
    E = F d
    T = \frac{1}{f}
    E = \frac{1}{2} k x^2
    \lambda = \frac{h}{p}
    \lambda f = c
    \gamma = \frac{1}{\sqrt{1 - \frac{v^2}{c^2}}}
    \sigma^2 = \frac{1}{n} \sum_{i=1}^{n} (x_i - \mu)^2
    \sigma = \sqrt{\sigma^2}
    \mu = \frac{a + b}{2}
    \alpha + \beta + \gamma = \pi
    \alpha_{1} + \alpha_{2}
    \beta^{2} - \gamma^{2}
    \theta = \frac{\pi}{3}
    \phi = \frac{1 + \sqrt{5}}{2}
    \phi(x) = e^{-x}
    u \cdot v = |u| |v| \cos\theta
    a \cdot b
    \frac{\sin A}{a} = \frac{\sin B}{b} = \frac{\sin C}{c}
    c^2 = a^2 + b^2 - 2ab\cos C
    A x = b
    A^{-1}
    (AB)^{T} = B^{T} A^{T}
    M N = N M
    X_{i} Y_{j}
    S = \frac{1}{2} g t^2
    j^2 = -1
    k_{B} T
    q = C V
    H_{0}, H_{1}
    E_{n} = \frac{E_1}{n^2}
    L = \lim_{n \to \infty} a_n
    G = \sqrt{ab}
    N(t) = N_0 e^{-\lambda t}
    o(h)
    q(x) = x^3 - 2x + 1
    w = u + iv
    z^3 = 8
    u_{n} = 3u_{n-1} + 2
    x / y
    1 / 2
    3 / 4 + 1 / 4 = 1
    6 \cdot 7 = 42
    9 \times 9 = 81
    5x + 7 = 22
    2x - 3y = 6
    4x < 12
    8 > 3
    6 \pm 2
    x = 1 \pm \sqrt{3}
    \sqrt{9} = 3
    \frac{7}{8} - \frac{3}{8} = \frac{1}{2}
    x^{\prime} = x - v t
    y^{'}
    \sum_{p} \frac{1}{p}
    \int_{C} F dr
    \int \int_{S} f dA
    (1 + x)^{n} \geq 1 + nx
    r = a(1 - \cos\theta)
    \cos\frac{2\pi}{n} + i\sin\frac{2\pi}{n}
    \frac{1}{1 \cdot 2} + \frac{1}{2 \cdot 3} + \cdots
    """.splitlines()
    if line.strip()
)
