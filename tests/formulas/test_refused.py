"""Formulas that must be refused, each with the code and the exact place of what is wrong.

The place stands between « and », which are taken out before the formula is compiled.
"""

from __future__ import annotations

import pytest

from notes2code import FormulaError, compile_formula
from notes2code.diagnostics import Severity
from tables import row


def refused(code: str, latex: str, fault: str = "") -> object:
    """A formula that is refused with a code."""
    return row((code, latex), latex, fault)


BROKEN = [
    refused("N2C037", r"y = x + «\emptyset»"),
    refused("N2C037", r"y_t = «\mu(y_1, \dots, y_{t-1})» + \sigma(y_1, \dots, y_{t-1}) z_t"),
    refused("N2C024", "maps = «[]»"),
    refused("N2C020", r"y = x + «10^{400}»"),
    refused("N2C020", r"y = x / «0.5^{2000}»"),
    refused("N2C020", r"y = x - «(-10)^{309}»"),
    refused("N2C020", r"y = x^{«10^{400}»}"),
    refused("N2C020", r"y = «10^{10^{10}}» x"),
    refused("N2C020", r"\mathrm{softmax}(QK^\top / «10^{400}») V"),
    # Behind a word between formulas stands another formula.
    refused("N2C033", r"z = «x \text{ o } y»"),
    # A dagger is the transpose or the pseudo-inverse, and an H beside U that of U.
    refused("N2C037", r"y = «A^\dagger» x"),
    refused("N2C037", r"M^\dagger = V S «U^\dagger»"),
    refused("N2C037", r"P = U \Lambda «U^{\mathsf{H}}»"),
    refused("N2C037", r"s_{ij} = (u_i W) «(v_j W)^\dagger»"),
    refused("N2C037", r"y = «(A B)^H» c"),
    refused("N2C037", r"y = (A B)^{«*»} c"),
    # As complex numbers these are turned by (m - n) θ, as pairs by (m + n) θ.
    refused("N2C037", r"s_{mn} = («a_m e^{im\theta}») (b_n e^{-in\theta})^\top"),
    refused("N2C037", r"s_{mn} = («a_m e^{i(-m)\theta}») (b_n e^{in\theta})^\top"),
    refused("N2C037", r"y = «\operatorname{argmax}» p(x)"),
    refused("N2C024", r"y = «\mathrm{GELU} W» x"),
    refused("N2C037", r"y = x P(«Z \le x»)"),
    refused("N2C032", r"y_t = f(\{x_j\}_{j=1}^{«t»})"),
    refused("N2C032", r"y_t = \sum_{k=0}^{K-1} w_k x_{«t-dk»}"),
    refused("N2C032", r"«y_{c',i}» = \sum_c w_{c',c} x_{c,i}"),
    refused("N2C033", r"\mathrm{dec}(g) = W g(x) + b, \quad y = x - «\mathrm{dec}(g(x))»"),
    refused("N2C033", r"s = «|Q|»|K| \cos\theta"),
    # The densities of a mixture; a power or one of several; a label or a transpose.
    refused("N2C037", r"r_{nk} = \pi_k \mathcal{«N}(x_n \mid \mu_k, \Sigma_k)»"),
    refused("N2C033", r"y = \sum_n b_n z^«n»"),
    refused("N2C033", r"y = \sum_{m=0}^{M} B_m x_m \zeta^«m»"),
    refused("N2C033", r"L = \|W F^S - «F^T»\|_F^2"),
    # The root of a matrix is not that of its elements, and no reason to take vectors.
    refused("N2C033", r"y = \mathrm{tr}(A + B - 2 «(A B)^{1/2}»)"),
    refused("N2C033", r"y = \mathrm{Tr}(A + B - 2 «\sqrt{A B}»)"),
    refused("N2C033", r"Z = X «(X^\top X)^{-1/2}»"),
    refused("N2C033", r"Y = «(A C)^{1/2}» X"),
    # Added to the rows of the identity, a vector is hardly meant.
    refused("N2C042", r"B = «I + A», \quad A \in \mathbb{R}^d"),
    # Heads share keys and values in groups of any one length; nothing else is shared so.
    refused("N2C032", r"y_i = x_i \cos(m \theta_{\lfloor i/«2» \rfloor})"),
    refused("N2C032", r"s_{ij} = q_i^\top k_{\lfloor j/«2» \rfloor}"),
    # A weight that is picked by what a place has is one of several, above as well as below.
    refused("N2C032", r"h_i = \sigma(W^{(«\deg(i)»)} x_i)"),
    refused("N2C032", r"h_i = \sum_j W^{(«\tau(j)»)} x_{ij}"),
    refused("N2C032", r"h_i = \sigma(W^{(«t_i»)} x_i)"),
    refused("N2C032", r"y_i = x_{\lfloor i/«2» \rfloor} + z_{\lfloor i/4 \rfloor}"),
    refused(
        "N2C032",
        r"O_i = \mathrm{softmax}(Q_i K_{\lfloor i/«4» \rfloor}^\top) V_{\lfloor i/8 \rfloor}",
    ),
    # A small letter of a vector is no matrix for want of a sign.
    refused("N2C033", r"y = «s x»"),
    refused("N2C033", r"\tilde x_c = «s_c x_c»"),
    refused("N2C033", r"x_{n+1} = x_n + «h v_n»"),
    refused("N2C033", r"y = x + «\frac{h}{2} (u + v)»"),
    refused("N2C033", r"u = z - «s \tanh(x)»"),
    refused("N2C033", r"s = «(b)» u + (c) v"),
    refused("N2C032", r"z_s = \sum_{j \in N(s)} \alpha_{«s \leftarrow j»} v_j"),
    refused("N2C033", r"F \in \mathbb{R}^{h \times w}, \quad y_{ij} = «F(i+1, j)»"),
    refused("N2C033", r"f(x) = \max_k (c_k + «k^\top» x)"),
    refused("N2C033", r"a_i = \sum_q «q^\top» x_i"),
    refused("N2C037", r"y = x P(«Z \le x»), \quad Z \sim \mathcal{N}(1, 2)"),
    refused("N2C037", r"s_i = q_i K^\top + m «[-(i-1), \dots, -1, 0]»"),
    refused("N2C036", r"\frac{\exp(u_{ij})}{«\sum \exp(u_{ij})»}"),
    refused("N2C036", r"a_i = \mathrm{softmax}(q_i K^\top + m «[-(i-1), \dots, -3, -1, 0]»)"),
    refused("N2C036", r"a_i = \mathrm{softmax}(q_i K^\top + m «[-(i-1), \dots, 2, 1, 0]»)"),
    refused("N2C037", r"f(x) = x \text{ if } «x \in A»"),
    refused("N2C033", r"c_i = \sum_{j=1}^{n} a_{ij} , «h_j»"),
    refused("N2C033", r"L = L_A + \lambda , «D(X, Z)»"),
    refused("N2C033", r"y = W x \text{ «per token»}"),
    refused("N2C033", r"\|x\| = \sum_k q_k , «p_k»"),
    refused("N2C032", r"y_t = s_t - «s_{t-1}», \quad s_t = \sum_{i=1}^{t} x_i"),
    refused("N2C032", r"s = \sum_{i=1}^{n-1} «z_{i+2}», \quad z \in \mathbb{R}^n"),
    refused("N2C032", r"y_t = «a_{t-1}» / a_t, \quad a_t = \prod_{s=1}^{t} b_s"),
    refused("N2C037", r"\min_{«w», b} \|y - X w - b\|^2"),
    refused("N2C037", r"c = \max_{\|«\delta»\| \le \epsilon} f(x + \delta)"),
    refused("N2C037", r"s = \max_{«q»} q^\top k"),
    refused("N2C037", r"\max_{«\psi»} \sum_i \log p_\psi(u_i, v_i)"),
    refused("N2C037", r"\min_{«w»} \sum_i (v_i - g_w(u_i))^2"),
    refused("N2C037", r"w = w - \eta «\nabla_w» (A w - v)"),
    refused("N2C037", r"w = w - \eta «\triangledown_w» E(w)"),
    refused("N2C037", r"\omega_{k+1} = \omega_k - \eta «\Delta_\omega» E(\omega)"),
    refused("N2C033", r"K(w) = D G(w) D «G^\top»(w)"),
    refused("N2C033", r"H = «J^T»(x) J(x)"),
    refused("N2C037", r"a = \mathbb{1}[«f(x)»]"),
    refused("N2C037", r"J = a L_{CE} + b «L_{KL}(q \| r)»"),
    refused("N2C033", r"Y = «G [\mathrm{softmax}(QK^\top)]» V"),
    refused("N2C033", r"y = \text{«write» } A B x \text{ as } A z"),
    refused("N2C033", r"y = \text{«先算» } A B x \text{ 再写成 } A z"),
    refused("N2C033", r"s = «(a)» \, q^\top k + (b) \, q^\top r"),
    refused("N2C037", r"J = \log p - «\mathrm{KL}(q \| r)», \quad \mathrm{KL} = \sum_k m_k^2"),
    refused("N2C033", r"\mathbf y_n = \mathbf x_n + \mathbf{«n»}"),
    refused("N2C033", r"z_t = [«H_t^4»; O_t]"),
    refused("N2C032", r"y_t = x«[t, 0]»"),
    refused("N2C032", r"y = A«[u, v]»"),
    refused("N2C037", r"L = «\mathbb{E}_{x \sim p}[D(x)]» - \mathbb{E}_{x \sim q}[D(x)]"),
    refused("N2C037", r"L = \sigma(«\mathbb{E}_{x \sim p}[f(x)]»)"),
    refused("N2C037", r"L^* = \min_{«\theta»} \sum_i (y_i - \theta x_i)^2"),
    refused("N2C024", r"y = W x «(+» b)"),
    refused("N2C037", r"M_{ij} = -\infty \text{ if } j > i \text{ or } «m_j = 0»"),
    refused("N2C037", r"y = 1 \text{ if } x > 0 \text{ and } «x < 1»"),
    refused("N2C037", r"y = -«\mathbb{E}_{x}» \log p(x)"),
    refused("N2C037", r"L = «\mathbb{E}[f(x)]»^2"),
    refused("N2C037", r"L = «\mathbb{E}[f(x)]» \mathbb{E}[g(x)]"),
    refused("N2C037", r"L = -\log «\mathbb{E}_x[f(x)]»"),
    refused("N2C032", r"K = V = «H W_K, W_V»"),
    refused("N2C032", r"head_i = \mathrm{Attention}(Q W_i^Q, K «W_j^K», V W_i^V)"),
    refused("N2C042", r"o_i = «\mathrm{softmax}(q_i k_{g(i)}^\top) v_{g(i)}»"),
    refused("N2C032", r"head_1 = \mathrm{Attention}(Q «W_i^Q», K W_i^K, V W_i^V)"),
    refused("N2C032", r"y = \mathrm{Concat}(\mathrm{Attention}(Q «W_i^Q», K W_i^K, V W_i^V)) W^O"),
    refused("N2C032", r"a_i = \mathrm{softmax}(q^\top K)_{«j»}"),
    refused("N2C032", r"o = \sum_j \mathrm{softmax}(QK^\top)_«j» V_j"),
    refused("N2C032", r"«Y_{:,j}» = W X_{:,j}"),
    refused("N2C032", r"y = W_«{:,e}»"),
    refused("N2C032", r"y = x_«{:k}»"),
    refused("N2C033", r"s_{ij} = «Q_{i,:} K_{j,:}»"),
    # Of which row the label is, nothing says.
    refused("N2C032", r"L = -\sum_i \log p_{«y_i»}"),
    refused("N2C032", r"L = -\sum_i \log \mathrm{softmax}(z)_{«y_i»}"),
    refused("N2C032", r"a_i = \sum_j W_{i, «s_j»} x_j"),
    refused("N2C032", r"s_i = W_i «[x_i]»"),
    refused("N2C037", r"o_i = «V_{\le i}»"),
    refused("N2C037", r"z = x_1 + «i» x_2"),
    refused("N2C037", r"s = «q \bar{k} e^{i(m-n)\theta}»"),
    refused("N2C037", r"f(x, m) = (x_1 + x_2 «i») e^{i m \theta}"),
    refused("N2C034", r"h_t = \tanh(W h_{t-1}), y_t = V «h_{t-1}» + h_t"),
    refused("N2C034", r"h_0 = x W, \quad h_l = \tanh(«h_l» A)"),
    refused("N2C034", r"s_0 = u, \quad «g_t = A s_{t-1} = B s_{t-1}», \quad s_t = s_{t-1} + g_t"),
    refused("N2C032", r"head_i = \mathrm{Attention}(QW_i^Q, K«W_{g(j)}^K», VW_{g(i)}^V)"),
    refused("N2C042", r"y = «\mathrm{softmax}(K^\top q) V»"),
    refused("N2C042", r"y = «\mathrm{softmax}(\beta X^\top q) V»"),
    refused("N2C042", r"s_{tj} = q_t k_j, \quad «q_t» = W_q x_t, \quad k_j = W_k x_j"),
    refused("N2C042", r"«e_{ij}» = \tanh(W s_{i-1} + U h_j)"),
    refused("N2C037", r"o_i = \mathrm{Score}(«V_{\le i}»)"),
    refused("N2C037", r"o_i = \mathrm{LayerNorm}(«V_{\le i}») V_{\le i}^\top"),
    refused("N2C022", r"\frac{1}«{»"),
    refused("N2C022", r"\frac{a}«{»b"),
    refused("N2C022", r"y = \sqrt«{»x + 1"),
    refused("N2C032", r"B_{ij} = b_{«x_i - x_j»}"),
    refused("N2C032", r"y_i = a_{2i} + «a_{2i+2}»"),
    refused("N2C022", r"y = «{»a"),
    refused("N2C022", r"y = «(»a + b"),
    refused("N2C022", "% y =\n«[»a + b"),
    refused("N2C022", r"y = a + b«)»"),
    refused("N2C022", r"y = [a + b«)»"),
    refused("N2C022", r"y = \left«(» a + b"),
    refused("N2C022", r"y = \left( a \right«]»"),
    refused("N2C022", r"y = a + b \right«)»"),
    refused("N2C022", r"y = \bigl«(» a + b"),
    refused("N2C022", r"y = «|»x"),
    refused("N2C022", r"s = «\|»x"),
    refused("N2C022", r"s = «\langle» a, b"),
    refused("N2C022", r"y = «\begin{cases}» 1 & x > 0 \\ 0 & x \le 0"),
    refused("N2C022", r"y = \begin{pmatrix} a & b \\ c & d «\end{bmatrix}»"),
    refused("N2C022", r"\mathrm{softmax}\left«(»\frac{QK^\top}{\sqrt{d_k}}V"),
    refused("N2C022", r"«\end{aligned}» y = a"),
    refused("N2C022", r"y = \mathrm{softmax}\left(\frac{QK^\top}«{»\sqrt{d_k}\right)V"),
    refused("N2C022", r"\text{softmax}«(»\frac{QK^T}{\sqrt{d_k}}V"),
    refused("N2C022", r"\text{Attention}«(»Q,K,V = \text{softmax}(QK^T)V"),
    refused("N2C022", r"y = \mathrm«{»softmax(QK^\top)V"),
    refused("N2C022", r"s = \sum_«{»i=1^n x_i"),
    refused("N2C023", r"y = a «\left.» b"),
    refused("N2C024", r"y = a «+»"),
    refused("N2C024", r"y = a «\cdot»"),
    refused("N2C024", r"y = a «/» / b"),
    refused("N2C024", r"y = «-»"),
    refused("N2C024", r"y = \frac{a}«{}»"),
    refused("N2C024", r"y = \sqrt«{}»"),
    refused("N2C024", r"y = «\frac»{a}"),
    refused("N2C024", r"y = «\sqrt»"),
    refused("N2C024", r"y = x«^»"),
    refused("N2C024", r"y = «\cos_x^2» + 1"),
    refused("N2C024", r"y = «\exp»"),
    refused("N2C024", r"y = x«_»"),
    refused("N2C024", r"y = x^2«^»3"),
    refused("N2C024", r"y = x_1«_»2"),
    refused("N2C024", r"y = «\sum»"),
    refused("N2C024", r"y = «\sum_{i=1}^n»"),
    refused("N2C024", r"a = \frac{1}{«\sum_m»}"),
    refused("N2C024", r"y = Wx «+» , b"),
    refused("N2C024", r"y = a + «+» b"),
    refused("N2C024", r"y = «\sin»"),
    refused("N2C024", r"y = «\max_j»"),
    refused(
        "N2C024",
        r"\begin{aligned} y &= a \\ &«=» \end{aligned}",
    ),
    refused("N2C033", r"y = \mathrm{Linear}(x; «W, b»)"),
    refused("N2C029", r"y = «*» a"),
    refused("N2C029", r"y = x«**»(n + 1)"),
    refused("N2C029", r"y = a «#» b"),
    refused("N2C029", r"y = a «&» b"),
    refused("N2C029", r"y = a «$» b"),
    refused("N2C029", r"y = x«!»"),
    refused("N2C029", r"y = a «\mid» b"),
]

UNKNOWN = [
    refused("N2C033", r"Q_T = X_T W_Q^«T»"),
    refused("N2C033", r"y = «(I - A)^2» x"),
    refused("N2C033", r"y_k = «(I - A)^k» x"),
    refused("N2C033", r"h_j = «(\bar{B} C)^j» x"),
    refused("N2C037", r"g = \mathrm{TopK}(«k = 2», x)"),
    refused("N2C041", r"f(x, a) = a x, \quad y = f«(z, b = 3)»"),
    refused("N2C033", r"s = «bim_q»(X + P)^\top bim_k(X + P)"),
    refused("N2C033", r"o = «bim»(x)"),
    refused("N2C033", r"s_t = «A(x_t)» s_{t-1} + B(x_t) x_t"),
    refused("N2C033", r"s_t = «\bar A(x_t)» \odot s_{t-1} + x_t"),
    refused("N2C033", r"y = h \odot «B(x)»"),
    refused("N2C033", r"Y = «(X X^\top)^2» X"),
    refused("N2C033", r"k_l = \sum_{n=0}^{N-1} c_n \bar A_n^«l» b_n"),
    refused("N2C037", r"\bar B = A^{-1}(e^{«\Delta A»} - I)B"),
    refused("N2C033", r"L = \|«sg»[z_e] - e_k\|^2"),
    refused("N2C033", r"g = «IoU» - \frac{c - u}{c}"),
    refused("N2C033", r"S = W/«\sigma(W)»"),
    refused("N2C033", r"L = \sum_i \|A_i^S - «A_i^T»\|^2"),
    refused("N2C033", r"e = \sum_{m=1}^M \frac{|«B_m»|}{n} |a_m - c_m|"),
    refused("N2C033", r"g = 1 - \sum_k \frac{|«S_k»|}{|S|} g_k"),
    refused("N2C041", r"s = «\mathrm{std}(u, v)»"),
    refused("N2C041", r"s = «\mathrm{tr}(A, B)»"),
    refused("N2C021", r"«\softmx»(QK^\top)V"),
    refused("N2C021", r"y = «\unknowncmd» x"),
    refused("N2C021", r"y = a «\begin{foo}» x \end{foo}"),
    refused("N2C021", r"\newcommand{\a}{\a\a} «\a»"),
    refused("N2C021", r"y = \newcommand{\x}{\x} «\x»"),
    refused("N2C025", r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V «3»"),
    refused("N2C025", r"y = x «2»"),
    refused("N2C025", r"y = 1 «2»"),
    refused("N2C025", r"\mathrm{softmax}(QK^\top «12»)V"),
    refused("N2C032", r"y = [-x_«{d/2:}», x_{:d/2}]"),
    refused("N2C032", r"y = u + x_«{:k}»"),
    refused("N2C032", r"q = W_«{:,j}»"),
    refused("N2C032", r"y = x«[0:d/2]»"),
    refused("N2C033", r"y_t = \sum_s «w(t-s)» x_s"),
    refused("N2C033", r"y(n) = \sum_k h(k) «x(n-k)»"),
    refused("N2C041", r"y = «\det(x)», \quad x \in \mathbb{R}^{n}"),
    refused("N2C037", r"y = «\frac{\partial L}{\partial x}»"),
    refused("N2C037", r"y = «\int_0^1 f(x) dx»"),
    refused("N2C037", r"y = «\lim_{n \to \infty} a_n»"),
    refused("N2C037", r"g = «\nabla_x» L"),
    refused("N2C037", r"y = «\|x\|_\Sigma»"),
    refused("N2C037", r"s = «\mathrm{Re}(q k e^{i m \theta})»"),
    refused("N2C037", r"s = «\mathrm{Re}[q k^*]»"),
    refused("N2C037", r"s = «\mathrm{Re}[\sum_{j=1}^{d/2} q_j k_j^* e^{i(m-n)\theta_j}]»"),
    refused("N2C037", r"s = «\mathrm{Re}[\sum_{j=0}^{3} q_j k_j^* e^{i(m-n)\theta_j}]»"),
    refused("N2C037", r"s = «\mathrm{Re}[\sum_i q_{i+1} k_i^* e^{i(m-n)\theta_i}]»"),
    refused("N2C037", r"p = «\mathrm{softmax}_\tau»(z)"),
    refused("N2C037", r"a_{ij} = \mathrm{softmax}_{«j \in \{1, 4\}»}(e_{ij})"),
    refused("N2C037", r"y = «\{a, b\}»"),
    refused("N2C037", r"y = \begin{cases} «1» \\ 0 \end{cases}"),
    refused("N2C033", r"y = «|A|», \quad A \in \mathbb{R}^{n \times n}"),
    refused("N2C037", r"y = «\tilde{a + b}»"),
    refused("N2C037", r"y = \begin{cases} a & i = j \\ «b» \end{cases}"),
    refused("N2C037", r"y = \begin{cases} 1 & «x» \\ 0 & z \end{cases}"),
]

INDICES = [
    refused("N2C036", r"s = \sum_{«|i-j| \le w»} a_{ij}"),
    refused("N2C036", r"w_i = c^{-i/d}, i = «0, 2», 4, \ldots, d-2"),
    refused("N2C036", r"w_i = c^{-i/d}, i \in \{«0, 2», \ldots, d-2\}"),
    refused("N2C036", r"s = \sum_{i=«1,3»,\dots,n} x_i"),
    refused("N2C036", r"s = \sum_{i \in \{«1, 3», \dots, n\}} x_i"),
    refused("N2C032", r"y_{2i} = \sin x_i, y_{«2i+5»} = \cos x_i"),
    refused("N2C032", r"«C[i,j]» = \min(C[i-1,j], C[i,j-1]) + 1"),
    refused("N2C032", r"y_{ij} = x«[i-1,j]»"),
    refused("N2C032", r"«M[d,i,j]» = S[d,i,j] / 2"),
    refused("N2C033", r"y = «\tanh(z)'»"),
    refused("N2C033", r"y = «\mathrm{softmax}(Q K^\top)'» V"),
    refused("N2C031", r"e_{ij} = \sum_«m» q_i^\top k_j"),
    refused("N2C031", r"s = \sum_{«i=1»}^{n} c"),
    refused("N2C031", r"y = \prod_«k» a"),
    refused("N2C031", r"y_i = \sum_«j» A_{ik}"),
    refused("N2C031", r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_«m» \exp(e_{ij})}"),
    refused("N2C031", r"y = \max_«k» a"),
    refused("N2C031", r"L = -\sum_{«i=1»}^{V} y \log p"),
    refused("N2C031", r"p = \frac{\exp(s)}{\sum_«j» \exp(s)}"),
    refused("N2C031", r"s = \sum_{i=1}^{n} \sum_{«j=1»}^{m} A_{ik}"),
    refused("N2C031", r"P_{i«j»} = a_i"),
    refused("N2C031", r"P_{«i»j} = q^\top k_j"),
    refused("N2C031", r"D_{i«j»} = \sum_k A_{ik}"),
    refused("N2C032", r"y = \sum_{i=1}^«{}» x_i"),
    refused("N2C032", r"s = \sum_i x_i + z_«i»"),
    refused("N2C032", r"y_i = A_{i«j»} x_k"),
    refused("N2C032", r"«y_i» = \sum_i x_i"),
    refused("N2C032", r"y = \sum_i x_i + x_«i»"),
    refused("N2C032", r"y = x_{«\sqrt{i}»}"),
    refused("N2C032", r"y_i = x_{«i \bmod 2»}"),
    refused("N2C032", r"y_i = x_{«i^2»}"),
    refused("N2C029", r"y_i = x_{i «\%» 2}"),
    refused("N2C032", r"s = \sum_{i=1}^{3} x_{«2^i»} w_i"),
    refused("N2C032", r"y_i = «x_{|i|}»"),
    refused("N2C032", r"s = \sum_{i=1}^n x_{«n-i-1»}"),
    refused(
        "N2C032",
        r"a_{ij} = w_{«\mathrm{clip}(j-i,2)»}, \quad \mathrm{clip}(x, k) = x^2 + k",
    ),
    refused("N2C032", r"O_i = \mathrm{softmax}(Q_i K_{«i \bmod g»}^\top) V_{i \bmod g}"),
    refused("N2C032", r"L = -\sum_i \log p_{«y_i»}"),
    refused("N2C032", r"y = «A_{ijk}», \quad A \in \mathbb{R}^{n \times m}"),
    refused("N2C032", r"s = x_«j» \sum_{i<j} A_{ij}"),
    refused("N2C033", r"A = \mathrm{softmax}(«0» K^\top) V"),
    refused("N2C037", r"y = «\|W\|_g»"),
    refused("N2C037", r"y = «\mathrm{reshape}(x)»"),
    refused("N2C032", r"«Q, K = X W», \quad Y = Q K^\top"),
    refused("N2C031", r"y_i = g(i) = \sum_«m» x_k"),
    refused("N2C032", r"p = \frac{\exp(x)}{\sum_x \exp(«x»)}"),
    refused("N2C041", r"s = \sum_{x, y} p(x, y) \log \frac{p(x, y)}{«p(x)» p(y)}"),
    refused("N2C041", r"s = \sum_y p(y \mid x) \log \frac{p(y \mid x)}{«p(y)»}"),
    refused("N2C036", r"s = \sum_{«i==»}^{n} a_i"),
    refused("N2C036", r"z = «\sum \alpha v»"),
    refused("N2C036", r"z = «\max\{u(i \times s + a, j \times s + b)\}»"),
    refused("N2C021", r"h*t = \tanh(A h«*»{t-1} + B x_t)"),
    refused("N2C036", r"o = «\sum \mathrm{softmax}(Q K^\top) V»"),
    refused("N2C037", r"z_i = x_{2i} + «i» x_{2i+1}"),
    refused("N2C037", r"f_i = \cos(m\theta_i) + «i»\sin(m\theta_i)"),
    refused("N2C033", r"h_t = W h«{t-1}»"),
    refused("N2C033", r"L = r(x, a) - «r(x, b)», \quad r(x, y) = \log p(y \mid x)"),
    refused("N2C032", r"\alpha \in [0.6, 0.7], \quad c_t = \sum_i «\alpha_{t,i}» h_i"),
    refused("N2C035", r"x_l = N(x_{l-1}) \quad «x_l» = x_{l-1} + F(x_{l-1})"),
    refused("N2C036", r"y = \sum_«{}»^{n} x_i"),
    refused("N2C036", r"y = \sum_{«j \in N(i - r)»} x_j"),
    refused("N2C036", r"s = \sum_«{ = 1, \dots }» x_i"),
    refused("N2C024", r"y = «\begin{pmatrix} \end{pmatrix}» x"),
    refused("N2C037", r"L = «D_{KL}(P \| Q)»"),
    refused("N2C037", r"J = \frac12 «KL(P||M)» + 1"),
    refused("N2C036", r"s = \sum_{t=T}^{«1»} x_t"),
    refused("N2C036", r"s = \sum_{i=5}^«1» x_i"),
    refused("N2C036", r"y_t = \sum_{i=«-k»}^{k} w_i x_{t+i}"),
    refused("N2C036", r"U = «(u_n, \dots, u_1)»"),
    refused("N2C036", r"U = «(u_{n-k}, \dots, u_n)»"),
    refused("N2C036", r"y = [x_1; x_2; \dots; x_«3»]"),
    refused("N2C036", r"Y = [y_1, \dots, y_«2»]"),
    refused("N2C036", r"y = [x_3; \dots; x_«1»]"),
    refused("N2C036", r"y = «[\dots; x_n]»"),
    refused("N2C036", r"y = «(u_1, \dots,)»"),
    refused("N2C036", r"y = [x_1; x_3; \dots; x_«8»]"),
    refused("N2C036", r"y = «[x_1; x_2; x_5; \dots; x_n]»"),
    refused("N2C036", r"y = «[x_1; x_2; \dots; x_m; x_n]»"),
    refused("N2C036", r"y = «Concat(h_1, h_2, h_4, \dots, h_n)»"),
    refused("N2C036", r"s = «a_1 + a_3 + a_4 + \dots + a_n»"),
    refused("N2C033", r"S = I + «M» + M^2 + \dots + M^n"),
    refused("N2C033", r"S = I + M + «M^2»"),
    refused("N2C033", r"y = «(I + B)^2» x"),
    refused("N2C024", r"y = a \Sigma«_»"),
    refused("N2C022", r"y = a \Sigma^«{»-1"),
    refused("N2C022", r"y = a. «(»"),
    refused("N2C037", r"y = \begin{cases} x & «kiedy» x > 0 \\ 0 & x \le 0 \end{cases}"),
    refused(
        "N2C037",
        r"y = \begin{cases} x & «\text{kun}» |x| > 1 \\ 0 & \text{kun } |x| \le 1 \end{cases}",
    ),
    refused("N2C037", r"L = c + b «S[\pi](s_t)»"),
    refused("N2C033", r"N = «G (C/6)»^a"),
    refused(
        "N2C042",
        r"O_i = \mathrm{diag}(\ell_{i-1}) «e^{m_{i-1} - m_i}» O_{i-1} + \tilde{P}_{ij} V_j",
    ),
    refused("N2C037", r"y = \begin{cases} x & «\text{unless}» x > 0 \\ 0 & x \le 0 \end{cases}"),
    refused("N2C037", r"y = \begin{cases} x & «gdy» x > 0 \\ 0 & gdy x \le 0 \end{cases}"),
    refused("N2C037", r"M_{ij} = \begin{cases} 0 & «se» j \le i \\ -\infty & j > i \end{cases}"),
    refused("N2C033", r"y = «h_1(x)» + h_2(x) + \dots + h_n(x)"),
    refused("N2C034", r"«y» = u + 1, \quad u = y - 1"),
    refused("N2C034", r"«f(x)» = g(x), \quad g(x) = f(x)"),
    refused("N2C034", r"«y» = A x, \quad A = B x, \quad x = A y"),
    refused("N2C032", r"e_i = A«[u_i]»"),
    refused("N2C032", r"e = A«[u]»"),
    refused("N2C029", r"y = a«\%»"),
    refused("N2C037", r"c = «g(u_1, \dots, u_n)»"),
    refused("N2C042", r"y_i = \phi«(q_i)^\top» \sum_j \phi(k_j) v_j"),
    refused("N2C042", r"Y = \phi(Q) («\phi(K) V»)^\top"),
    refused("N2C042", r"e_{ij} = «q_i k_j»"),
    refused("N2C042", r"«a_{ij}» = \mathrm{softmax}(Q_i H_j)"),
    refused("N2C032", r"o_i = \mathrm{softmax}(q_i^\top k_«j») V"),
    refused("N2C042", r"y = \log_«B» x, \quad B \in \mathbb{R}^{n \times n}"),
    refused("N2C034", r"s_t^{(l)} = U s_{t-1}^{(l)} + «s_t^{(l-1)}»"),
    refused("N2C034", r"s_t^{(l)} = U s_{t-1}^{(l-1)} + \sum_{j \in N(t)} «s_j^{(l-1)}»"),
    refused("N2C035", r"u = a + 1, \quad «u» = a + 2"),
    refused("N2C035", r"p_i = a_i r_i, \quad «p_{i+1}» = b_i r_{i+1}"),
    refused("N2C035", r"r_n = 2 n, \quad «r_{n-1}» = 2 n - 1"),
    refused("N2C037", r"g(k,i) = \cos(k w_i) + «i» \sin(k w_i)"),
    refused("N2C037", r"g_t = \cos t w + «j» \times \sin t w"),
    refused("N2C033", r"u = B «u» = B"),
    refused("N2C032", r"u_i^{(l)} = u_«j»^{(l-1)} + z_i"),
    refused("N2C033", r"s_t = B «s_t» = D v"),
    refused("N2C035", r"A ∈ ℝ^{n×d}, \quad «A» ∈ ℝ^{d×n}, \quad y = A x"),
    refused("N2C035", r"f(x) = x + 1, \quad «f(x)» = x + 2"),
    refused("N2C035", r"P_{(p,2i)} = \sin(p), \quad «P_{(p,2i)}» = \cos(p)"),
]

SHAPES = [
    refused(
        "N2C040",
        r"\mathrm{softmax}(«QK»)V, \quad Q ∈ ℝ^{n×d}, K ∈ ℝ^{m×d}",
    ),
    refused("N2C040", r"y = «Wx», \quad W \in \mathbb{R}^{h \times d}, x \in \mathbb{R}^{e}"),
    refused(
        "N2C040",
        r"y = «W_2 W_1» x, \quad W_1 ∈ ℝ^{h×d}, W_2 ∈ ℝ^{e×d}",
    ),
    refused("N2C040", r"C = «A + B», \quad A ∈ ℝ^{n×3}, B ∈ ℝ^{n×4}"),
    refused(
        "N2C040",
        r"C = «A \odot B», \quad A \in \mathbb{R}^{n \times d}, B \in \mathbb{R}^{n \times e}",
    ),
    refused("N2C040", r"y = «a + c», \quad a \in \mathbb{R}^{n}, c \in \mathbb{R}^{m}"),
    refused("N2C040", r"s = «\langle a, b \rangle», \quad a ∈ ℝ^{3}, b ∈ ℝ^{4}"),
    refused(
        "N2C040",
        r"s = «a^\top b», \quad a \in \mathbb{R}^{3}, b \in \mathbb{R}^{4}",
    ),
    refused(
        "N2C040",
        r"e_{ij} = «q_i^\top k_j», \quad q_i \in \mathbb{R}^{3}, k_j \in \mathbb{R}^{4}",
    ),
    refused("N2C040", r"C = «A B», \quad A ∈ ℝ^{2×3}, B ∈ ℝ^{4×2}"),
    refused(
        "N2C040",
        r"C = «A^\top B», \quad A \in \mathbb{R}^{n \times d}, B \in \mathbb{R}^{m \times d}",
    ),
    refused("N2C040", r"y = «x A», \quad x \in \mathbb{R}^{n}, A \in \mathbb{R}^{m \times d}"),
    refused(
        "N2C040", r"y = «q^\top W» k, \quad q \in \mathbb{R}^{a}, W \in \mathbb{R}^{b \times c}"
    ),
    refused("N2C040", r"y = «\max(x, z)», \quad x \in \mathbb{R}^{3}, z \in \mathbb{R}^{4}"),
    refused("N2C033", r"O = («head_1^T», \dots, head_h^T) W^O"),
    refused("N2C033", r"O = Concat(«A_1^\top», A_2^\top) W"),
    refused("N2C033", r"z = «x w», \quad x \in \mathbb{R}^n, w \in \mathbb{R}^n"),
    refused("N2C033", r"z = x «\times» w, \quad x \in \mathbb{R}^n, w \in \mathbb{R}^n"),
    refused("N2C033", r"y = «A^3», \quad A \in \mathbb{R}^{n \times n}"),
    refused("N2C040", r"y = «A^{-1}» x, \quad A ∈ ℝ^{n×m}, x ∈ ℝ^{m}"),
    refused("N2C032", r"p_t = \mathrm{softmax}(W h)_{«w_t»}"),
    refused("N2C041", r"y = «f(a)», \quad f(t, u) = 3"),
    refused("N2C041", r"Y = \mathrm{CrossAttention}(X, Z) + «\mathrm{CrossAttention}(X, Z, M)»"),
    refused("N2C041", r"Y = \mathrm{CrossAttention}(X, Z, M) + «\mathrm{CrossAttention}(X, Z)»"),
    refused("N2C033", r"y = x^2 \text{ «per head»}"),
    refused("N2C041", r"y = «(W x)^{-1}»"),
    refused("N2C041", r"w = «(X w)^{-1}» X^\top y"),
    refused("N2C041", r"x^\top = «(W x)^{-1}»"),
    refused("N2C041", r"y = «\sqrt{A}», \quad A \in \mathbb{R}^{n \times n}"),
    refused("N2C041", r"y = A / «B», \quad A ∈ ℝ^{n×d}, B ∈ ℝ^{d×m}"),
    refused("N2C040", r"y = «[A; b]», \quad A ∈ ℝ^{n×d}, b ∈ ℝ^{m}"),
    refused("N2C041", r"R = «\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}»"),
    refused("N2C041", r"y = \mathrm{softmax}«(Q, K, V)»"),
    refused("N2C041", r"y = \mathrm{softmax}«()»"),
    refused("N2C041", r"y = «\sin()»"),
    refused("N2C041", r"y = \max«()»"),
    refused("N2C041", r"y = \mathrm{Concat}«()»"),
    refused("N2C041", r"y = «f(a, b)», \quad f(x) = x + 1"),
    refused("N2C041", r"y = «f(a)», \quad f(x, z) = x + z"),
]

SLIPS = [
    refused("N2C021", r"«rac»{1}{2} + a"),
    refused("N2C021", r"«ext»{softmax}(x)"),
    refused("N2C021", r"«lpha» x + b"),
    refused("N2C021", r"«abla» x"),
    refused("N2C025", r"y = \alpha x^1«0»"),
    refused("N2C025", r"\mathrm{softmax}(QK^\top)V \quad «7»"),
    refused("N2C033", r"y = «A^{-2}» x"),
    refused("N2C037", r"z = \cos\theta + «i» \sin\theta"),
    refused("N2C033", r"Y = \big«\Vert_{m=1}^{M} h_m W^O»"),
    refused("N2C033", r"y_i = \big«\Vert_{m=1}^{M} \sum_j w_{ij}^m z_j W^O»"),
    refused("N2C033", r"r = \frac{«LC»(X, Y)}{m}"),
    refused("N2C033", r"r = 2 «LC»(X, Y) / m"),
    refused("N2C033", r"Q = K = V = «X(input)»"),
    refused("N2C033", r"Y = «W_1 (hidden)» + b"),
    refused("N2C033", r"y = «A^2» x"),
    refused("N2C037", r"A = «\mathrm{softmax}_{local}»(S) V"),
    refused("N2C037", r"«\mathrm{softmax}_{\text{top-}k}»(QK^\top)V"),
    refused(
        "N2C037",
        r"p = «\mathbb{E}_{x \sim p}[f(x)]»",
    ),
    refused("N2C037", r"y = «\mathbb{E}_{x \sim p}» x"),
    refused("N2C037", r"c = «q(h_1, \dots, h_T)»"),
    refused("N2C033", r"y = W , «x»"),
    refused("N2C033", r"Q_i \cdot K_j = \sum_{k=1}^d q_{ik} , «k_{jk}»"),
    refused("N2C037", r"m_v = f(«\text{AGG}_{u \in N(v)}»(h_u))"),
    refused("N2C037", r"m_v = «\mathrm{MEAN}_{u \in N(v)}»(h_u)"),
    refused("N2C033", r"L = \| «h_t^T - h_t» \|^2"),
    refused("N2C033", r"p = \exp(\mathbf{«u}_o \mathbf{v}_c») + 1"),
    refused("N2C032", r"y = x_{«<t»} - x_{>t}"),
    refused("N2C032", r"y = L_{«a=b»} + L_{c=d}"),
]


@pytest.mark.parametrize("refusal", [*BROKEN, *UNKNOWN, *INDICES, *SHAPES, *SLIPS])
def test_place(refusal: tuple[str, str]) -> None:
    code, marked = refusal
    start, end = marked.index("«"), marked.index("»") - 1
    latex = marked.replace("«", "").replace("»", "")
    with pytest.raises(FormulaError) as raised:
        compile_formula(latex)
    assert raised.value.status == "rejected"
    first = next(p for p in raised.value.diagnostics if p.severity is Severity.ERROR)
    span = first.span
    place = f"{latex[: span.start]}«{latex[span.start : span.end]}»{latex[span.end :]}"
    assert (first.code, place) == (code, marked)
    assert (span.start, span.end) == (start, end)
    assert f"{first.code}: {first.message}" in str(raised.value)


def test_place_in_lines() -> None:
    """The message counts lines and columns from 1."""
    with pytest.raises(FormulaError, match=r"^2:5: N2C021: "):
        compile_formula("y = a \\\\\nz = \\foo a")


@pytest.mark.parametrize(
    ("latex", "way"),
    [
        (
            r"s(q, k) = \begin{cases} q^\top k \\ q^\top W k \end{cases}",
            r"name of each there, as in `& \text{dot}`",
        ),
        (
            r"y = \mathbb{E}_{(x, y) \sim D}[-\log p(y | x)]",
            r"write a mean over examples as `\frac{1}{N} \sum_{i=1}^{N}`",
        ),
        (r"L = -\sum_i \log p_{y_i}", "write the row that it is of too, as in `p_{i,y_i}`"),
    ],
)
def test_the_help_names_what_can_be_written(latex: str, way: str) -> None:
    with pytest.raises(FormulaError) as raised:
        compile_formula(latex)
    assert way in raised.value.diagnostics[0].help


@pytest.mark.parametrize(
    "latex", [r"Y = C^{-1/2} A C^{-1/2} H", r"\mathbf{C}^{-1/2} \mathbf{A} \mathbf{C}^{-1/2}"]
)
def test_a_power_on_both_sides_is_one_of_a_matrix(latex: str) -> None:
    with pytest.raises(FormulaError, match="power of a matrix"):
        compile_formula(latex)
    assert compile_formula(r"y = T^{-1} x")


@pytest.mark.parametrize(
    "latex",
    [
        r"\mu_i = \frac1d \sum_j x_{ij}, \quad y_{ij} = x_{ij} - \mu",
        r"m_i = \max_j s_{ij}, \quad p_{ij} = e^{s_{ij} - m}",
    ],
)
def test_an_index_that_is_left_out_is_asked_for(latex: str) -> None:
    with pytest.raises(FormulaError, match="defined with the index `i`"):
        compile_formula(latex)


def test_what_is_defined_without_an_index_needs_none() -> None:
    mean = r"h_i = \tanh(W x_i), \quad h = \frac{1}{n} \sum_i h_i"
    assert compile_formula(rf"{mean}, \quad y_i = x_i - h")


def test_all_of_what_has_an_index_needs_none() -> None:
    latex = r"s_i = q^\top k_i, \quad \alpha = \mathrm{softmax}(s), \quad o = \sum_i \alpha_i v_i"
    assert compile_formula(latex).component == "scaled_dot_product_attention"
